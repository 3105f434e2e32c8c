/**
 * Beginnings of the titles of tests, or of groups of tests, that can't pass under Wine, by the reason. Some of them would
 * pass on Windows itself.
 */
export const wineLimits: Readonly<Record<string, readonly string[]>> = {
  "Node's own fetch and connections to several addresses fail": [
    "A diagnosis",
    "The backend",
    "The local gateway as an HTTP server",
    "The local gateway's authentication",
    "The local gateway's servers",
    "The openai package as a client of the local gateway",
    "The token service",
    "npm run gateway",
    "undici's client leaves fetch working",
  ],
  "programs of Linux, such as Git, curl and esbuild, can't be started": [
    "Matching .gitignore rules gives the same result as Git",
    "Matching .gitignore rules takes the names of folders literally",
    "A request copied as curl passes",
    "A request copied as curl uses a placeholder",
    "The command that serves a model stays one word",
    "The setup for another client",
    "The MCP server",
  ],
  "there are no permissions and symbolic links of Linux": [
    "A conversation store in a file is readable by its owner only",
    "An archive of all conversations brings everything to another machine",
    "The network options of a profile report a CA file that can't even be examined",
    "The real target of a path",
    "The user's SSH configuration on disk is created",
    "The user's SSH configuration on disk keeps its permissions",
    "The user's SSH configuration on disk remains a link",
    "The user's SSH configuration on disk is left unchanged if it is read-only",
    "The user's SSH configuration on disk includes a file",
  ],
  "there are no signals, and a process that is killed seems to have exited": [
    "A response whose window was mistaken for dead",
    "A tool whose process is killed",
    "A conversations file that is lost or damaged is recovered by the next window",
    "The file of records empties a log in which a killed window left deleted content",
    "The usage records count a request as lost after a day if another process has got the ID",
    "Windows in several processes lose nothing if one is suspended",
    "Windows in several processes lose and repeat nothing if one is suspended",
  ],
  "Windows keeps a file that is open from being removed or replaced, which these tests do": [
    "A damaged conversations file is replaced only once",
    "A lost conversations file of which there is a backup is completed by what a window still has open",
    "A conversations file that is lost without a backup is reported as lost if it isn't a database",
    "A conversation that is open in two windows is stored again completely if the file was lost",
    "Conversations that are open in several windows continue in a new file",
    "The file of records holds in every window and after a restart",
    "An archive of all conversations fails if the folder is missing",
  ],
  "the system's certificates, disks of a fixed size, and single bytes on a socket are missing or slow": [
    "Certificates of the machine are trusted from the system's store",
    "Recorded chat streams are read correctly: oaipy-recorded",
    "The undici transport passes on the HTTP chunks of one read together",
    "While nothing can be written",
  ],
};
