/** The command that replaces the secret of an entity, which cannot be shown again, by the kind of the entity in documents. */
const rotateCommands: Readonly<Record<string, string>> = {
  client: 'clients rotate-secret',
  apiKey: 'api-key rotate',
};

/** The command that replaces a secret; undefined if entities of this kind have none. */
export function formatRotateCommand(kind: string | undefined, id: string): string | undefined {
  const command = kind === undefined ? undefined : rotateCommands[kind];
  return command === undefined ? undefined : `\`iam ${command} ${id}\``;
}
