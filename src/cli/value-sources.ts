/** Which values an argument or an option takes, as the schemas and the commands declare it. */
import type { Command } from 'commander';
import { type Among, type EntityDeclaration, entityOf, type Reference, type RowSource } from '../contract/entities.ts';
import type { JsonSchema, Manifest, ManifestOperation } from '../contract/manifest-types.ts';
import { getOperation } from './find-operation.ts';

/** Entities of the server, or names that are known without it. */
export type ValueSource = Reference | 'profile';

type Marked = { readonly 'x-reference': Reference } | 'profile';

const declared = new WeakMap<Command, Readonly<Record<string, readonly ValueSource[]>>>();

/** Declares what arguments, by their names, and options, by their long flags, of a command take. */
export function takes(command: Command, sources: Readonly<Record<string, Marked | readonly Marked[]>>): Command {
  const plain = Object.entries(sources).map(([name, given]) => {
    const marked: readonly Marked[] = [given].flat();
    return [name, marked.map((one) => (typeof one === 'string' ? one : one['x-reference']))] as const;
  });
  declared.set(command, { ...declared.get(command), ...Object.fromEntries(plain) });
  return command;
}

/** What was declared for an argument, by its name, or an option, by its long flag. */
export function sourcesOf(command: Command, name: string): readonly ValueSource[] {
  return declared.get(command)?.[name] ?? [];
}

/** The reference of a field; of a list that of its items, and of an object with one field that of the field. */
export function referenceIn(schema: JsonSchema | undefined): Reference | undefined {
  if (schema === undefined) return undefined;
  const own = schema['x-reference'];
  if (own) return own;
  const fields = Object.values(schema.properties ?? {});
  return fields.length === 1 ? referenceIn(fields[0]) : referenceIn(schema.items);
}

/** Rows that hold the values of a reference. */
export interface ReferencedRows {
  readonly source: RowSource;
  /** So many values that come before are the parameters of the source. */
  readonly parameters: number;
  /** Where a row holds the value; within lists of objects by a dot. */
  readonly property: string;
  readonly entity: EntityDeclaration;
}

/** Where the values of a reference are found. */
export function rowsOf({ entity: name, by, among }: Reference, manifest: Manifest): ReferencedRows {
  const entity = entityOf(name);
  const source: RowSource | Among = among ?? entity.list;
  const property = among?.property ?? entity.properties[by[0] ?? ''] ?? '';
  return { source, parameters: parametersOf(source, manifest), property, entity };
}

function parametersOf(source: RowSource, manifest: Manifest): number {
  if ('operation' in source) return getOperation(manifest, source.operation).params.length;
  return source.control.split('{').length - 1;
}

/** The words of the command that prints the rows; none where there is no command. */
export function wordsOfSource(source: RowSource, { operations }: Manifest): readonly string[] {
  const isMeant = ({ id }: ManifestOperation) => 'operation' in source && id === source.operation;
  const command = 'operation' in source ? operations.find(isMeant)?.command : source.command;
  return command?.split(' ') ?? [];
}

/** The texts at a dotted path of a row; each of them where there are lists on the way. */
export function textsAt(value: unknown, path: string): readonly string[] {
  const [name = '', ...rest] = path.split('.');
  const found = [(value as Readonly<Record<string, unknown>> | null)?.[name]].flat();
  if (rest.length > 0) return found.flatMap((one) => textsAt(one ?? null, rest.join('.')));
  return found.filter((one) => typeof one === 'string');
}
