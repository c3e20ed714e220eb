/** Tokens as they are copied: from a log, a header, a call of curl, a `.env` file or a JSON response. */

const pastedPattern = /^(?:-H\s+)?["'{]*(?:[\w-]+["']?\s*[:=]\s*)?["']?(?:bearer\s+)?["']?([^\s"',;]{8,})["',;}]*$/i;

/** A JSON Web Token in other text, such as a line of a log. */
const webTokenPattern = /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/;

/** Only the start of a longer text is searched. */
const maxSearched = 100_000;

/** The token in the text; a text of another form as it is. */
export function extractToken(text: string): string {
  const trimmed = text.trim();
  return pastedPattern.exec(trimmed)?.[1] ?? webTokenPattern.exec(trimmed.slice(0, maxSearched))?.[0] ?? trimmed;
}
