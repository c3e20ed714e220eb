/** Formats the header of a Basic authentication (RFC 7617) in UTF-8. */
export function formatBasic(name: string, secret: string): string {
  const bytes = new TextEncoder().encode(`${name}:${secret}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
