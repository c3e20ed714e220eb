/** The values that an argument or an option accepts, as declared by schemas and commands. */
import type { Command } from 'commander';
import {
  type EntityDeclaration,
  type EntityListSource,
  type EntityName,
  entityOf,
  type Reference,
  type ReferenceScope,
} from '../../contract/entities.ts';
import type { JsonSchema, Manifest } from '../../contract/manifest-types.ts';
import { readProfiles } from '../config/profile.ts';
import { stripUserInfo } from '../config/server-url.ts';
import { type SettingDefinition, settingDefinitions } from '../config/settings.ts';
import type { Environment } from '../io/io.ts';
import { toTypedId } from '../output/value-prefix.ts';
import { getOperation } from '../request/find-operation.ts';

interface LocalValue {
  readonly value: string;
  /** Its description. */
  readonly text: string;
}

interface LocalSource {
  list(deps: LocalSourceDeps): readonly LocalValue[] | Promise<readonly LocalValue[]>;
  /** Whether a prompt displays the description next to the value. */
  readonly isTextPrompted?: boolean;
}

interface LocalSourceDeps {
  readonly environment: Environment;
  readonly manifest: Manifest;
}

/** Values that are known locally, by kind. Those of the server are in the table of entities. */
const localSources = {
  profile: {
    list: async ({ environment }) => {
      const { profiles } = await readProfiles(environment.variables);
      return Object.entries(profiles).map(([value, { baseUrl }]) => ({ value, text: stripUserInfo(baseUrl) }));
    },
  },
  setting: { list: () => listSettings(() => true) },
  // `config set` accepts the settings of a profile that are not secret.
  'profile-setting': {
    list: () => listSettings(({ profile, secret }) => profile !== undefined && profile !== 'clientId' && !secret),
  },
  operation: {
    list: ({ manifest }) => manifest.operations.map(({ id, title }) => ({ value: id, text: title })),
    isTextPrompted: true,
  },
} satisfies Readonly<Record<string, LocalSource>>;

export type LocalSourceName = keyof typeof localSources;

/** The source of values of a kind that is known locally. */
export function localSourceOf(name: LocalSourceName): LocalSource {
  return localSources[name];
}

function listSettings(isListed: (setting: SettingDefinition) => boolean): readonly LocalValue[] {
  const definitions: readonly SettingDefinition[] = settingDefinitions;
  return definitions.filter(isListed).map(({ key, meaning }) => ({ value: key, text: meaning }));
}

/** Entities of the server, or values that are known locally. */
export type ValueSource = Reference | LocalSourceName;

type ValueSourceDeclaration = { readonly 'x-reference': Reference } | LocalSourceName;

/** The property of a command that holds its value sources, by argument name or long flag. */
const sourcesKey = Symbol('value sources');

type DeclaredSources = Readonly<Record<string, readonly ValueSource[]>>;

/** Declares the value sources of a command's arguments (by name) and options (by long flag). */
export function declareValueSources(
  command: Command,
  sources: Readonly<Record<string, ValueSourceDeclaration | readonly ValueSourceDeclaration[]>>,
): Command {
  const plain = Object.entries(sources).map(([name, declaration]) => {
    const marked: readonly ValueSourceDeclaration[] = [declaration].flat();
    return [name, marked.map((one) => (typeof one === 'string' ? one : one['x-reference']))] as const;
  });
  return Object.assign(command, { [sourcesKey]: { ...declaredSources(command), ...Object.fromEntries(plain) } });
}

/** The declared value sources of an argument (by name) or an option (by long flag). */
export function sourcesOf(command: Command, name: string): readonly ValueSource[] {
  return declaredSources(command)[name] ?? [];
}

function declaredSources(command: Command): DeclaredSources {
  return (command as { readonly [sourcesKey]?: DeclaredSources })[sourcesKey] ?? {};
}

/** The reference of a field, of the items of a list, or of the only field of an object. */
export function referenceIn(schema: JsonSchema | undefined): Reference | undefined {
  if (schema === undefined) return undefined;
  const own = schema['x-reference'];
  if (own) return own;
  const fields = Object.values(schema.properties ?? {});
  return fields.length === 1 ? referenceIn(fields[0]) : referenceIn(schema.items);
}

/** Rows that contain the values of a reference. */
export interface ReferencedRows {
  readonly source: EntityListSource;
  /** How many preceding values are parameters of the source. */
  readonly parameters: number;
  /** The property of a row that contains the value; dotted within lists of objects. */
  readonly property: string;
  readonly entity: EntityDeclaration;
  readonly entityName: EntityName;
  /** The value of a row as a command accepts it. */
  toValue(text: string): string;
}

/** Resolves the rows that contain the values of a reference. */
export function rowsOf({ entity: name, by, among }: Reference, manifest: Manifest): ReferencedRows {
  const entity = entityOf(name);
  const source: EntityListSource | ReferenceScope = among ?? entity.list;
  const property = among?.property ?? entity.properties[by[0] ?? ''] ?? '';
  const toValue = (text: string) => (by[0] === 'id' ? toTypedId(name, text) : text);
  return { source, parameters: parametersOf(source, manifest), property, entity, entityName: name, toValue };
}

function parametersOf(source: EntityListSource, manifest: Manifest): number {
  if ('operation' in source) return getOperation(manifest, source.operation).params.length;
  return source.control.split('{').length - 1;
}

/** The texts at a dotted path of a row, through all items of lists. */
export function textsAt(value: unknown, path: string): readonly string[] {
  const [name = '', ...rest] = path.split('.');
  const found = [(value as Readonly<Record<string, unknown>> | null)?.[name]].flat();
  if (rest.length > 0) return found.flatMap((one) => textsAt(one ?? null, rest.join('.')));
  return found.filter((one) => typeof one === 'string');
}
