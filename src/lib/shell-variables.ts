/** Commands of a POSIX shell with variables in place of secrets. Pure. */

/** Delimiters of a variable name within text: private-use characters. */
const [opening, closing] = ['\u{e000}', '\u{e001}'];

/** The variable with this name, as part of a text for `quoteForShell`. */
export function variable(name: string): string {
  return `${opening}${name}${closing}`;
}

/** The name of the variable for a field: `clientSecret` is IAM_CLIENT_SECRET. The prefix avoids existing variables. */
export function toVariableName(field: string): string {
  const words = field.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_');
  return `IAM_${words.toUpperCase()}`;
}

/** Quotes text with single quotes, except variables. */
export function quoteForShell(text: string): string {
  const parts = text.split(new RegExp(`${opening}([A-Z0-9_]+)${closing}`, 'u'));
  const quoted = parts.map((part, at) => (at % 2 === 1 ? `"$${part}"` : part === '' ? '' : singleQuote(part)));
  return quoted.join('') || "''";
}

/** Quotes text for a shell, if it needs quotes. */
export function singleQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Whether text from elsewhere could be mistaken for a variable. */
export function hasVariable(text: string): boolean {
  return text.includes(opening);
}
