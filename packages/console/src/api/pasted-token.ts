/** Tokens as they are copied: from a log, a header, a call of curl, a `.env` file or a JSON response. */

const pastedPattern = /^(?:-H\s+)?["'{]*(?:[\w-]+["']?\s*[:=]\s*)?["']?(?:bearer\s+)?["']?([^\s"',;]{8,})["',;}]*$/i;

/** The token in the text; a text of another form as it is. */
export function extractToken(text: string): string {
  const trimmed = text.trim();
  return pastedPattern.exec(trimmed)?.[1] ?? trimmed;
}
