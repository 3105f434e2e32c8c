/** What the body of an error response says. All of it is the server's own text: clean it before it is shown. */
export interface ErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly requestId?: string;
  /** Title of an HTML page: a proxy or a web site answered, not the service. */
  readonly pageTitle?: string;
}
