/** The commands in hints. */

/** Commands that name profiles and servers by arguments, or use none. */
const localCommands: readonly string[] = [
  ...['commands', 'completion', 'explain', 'help', 'profile', 'schema', 'serve', 'server', 'store'],
];

/** Adds the options to each command of a hint: text between backquotes that starts with `iam`. */
export function addServerOptions(hint: string, serverOptions: string): string {
  if (serverOptions === '') return hint;
  return hint.replace(/`iam ([a-z-]+)([^`]*)`/g, (command, noun: string, rest: string) =>
    localCommands.includes(noun) || namesServer(rest) ? command : `\`iam ${noun}${rest}${serverOptions}\``,
  );
}

/** Whether a hint names the profile or the server itself. */
function namesServer(words: string): boolean {
  return / --(?:profile|base-url)\b/.test(words);
}
