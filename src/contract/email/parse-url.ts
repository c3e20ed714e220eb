/** Parses texts from outside that can be URLs with letters beyond ASCII. */

/** Without `URL.canParse`: in Node 20 it rejects letters such as \u00df once the optimizer has compiled its caller. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
