/** The commands in hints. */

/** Commands that name profiles and servers by arguments, or use none. */
const localCommands: readonly string[] = ['commands', 'completion', 'help', 'profile', 'serve', 'server', 'store'];

/** Adds the options to each command of a hint: text between backquotes that starts with `iam`. */
export function addServerOptions(hint: string, serverOptions: string): string {
  if (serverOptions === '') return hint;
  return hint.replace(/`iam ([a-z-]+)([^`]*)`/g, (command, noun: string, rest: string) =>
    localCommands.includes(noun) ? command : `\`iam ${noun}${rest}${serverOptions}\``,
  );
}
