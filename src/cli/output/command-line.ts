/** Formats command lines in help: long ones continue on further lines, as a shell accepts them. Pure. */

const indent = '  ';
/** The continuation takes two columns of a line, and is indented once more. */
const continuation = ' \\';

/** The lines of a shell command. It breaks between words, never within quotes. */
export function formatCommandLine(command: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length + continuation.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? indent + word : indent.repeat(3) + word);
  }
  // The last word needs no room for the sign.
  const whole = indent + command;
  return whole.length <= width
    ? [whole]
    : lines.map((line, at) => (at < lines.length - 1 ? line + continuation : line));
}
