/** Port: the extension's log. Everything written is redacted by its implementation. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
