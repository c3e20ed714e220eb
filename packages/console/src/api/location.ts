/** Where the console runs: below the server, or inside one of its sandboxes. */

export interface ConsoleLocation {
  /** The path of the console, without a slash at the end: `/s/checkout/_iam/console`. */
  readonly consolePath: string;
  /** The path of the service that the console shows: `` or `/s/checkout`. */
  readonly basePath: string;
  /** The path of the server itself: basePath without the sandbox. */
  readonly serverPath: string;
  readonly sandbox: string | undefined;
}

/** Reads the location from the path of the page, so that the console works behind any prefix. */
export function readConsoleLocation(pathname: string): ConsoleLocation {
  const [, basePath = ''] = /^(.*?)\/_iam\/console(?:\/|$)/.exec(pathname) ?? [];
  const [, serverPath = basePath, sandbox] = /^(.*)\/s\/([^/]+)$/.exec(basePath) ?? [];
  return { consolePath: `${basePath}/_iam/console`, basePath, serverPath, sandbox };
}

/** Returns the address of the console of a sandbox, or of the server without a name. */
export function consoleUrlOf({ serverPath }: ConsoleLocation, sandbox?: string): string {
  const prefix = sandbox === undefined ? '' : `/s/${encodeURIComponent(sandbox)}`;
  return `${serverPath}${prefix}/_iam/console/`;
}
