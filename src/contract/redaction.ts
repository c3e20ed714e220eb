/** Redacts values by their JSON Schema. Pure and independent of zod, since server and command line share it. */
import type { JsonSchema } from './manifest-types.ts';
import type { Sensitivity } from './sensitive.ts';

/**
 * What a JSON Schema declares about the parts of a value; the branches of a union are merged. Compiled lazily while values
 * are traversed, so recursive schemas need no special case.
 */
export class FieldTree {
  /** Undefined if the value is not sensitive. */
  readonly level: Sensitivity | undefined;
  /** Whether the value can be a string, a number or a boolean. */
  readonly acceptsScalars: boolean;
  readonly acceptsObjects: boolean;
  readonly #branches: readonly JsonSchema[];
  readonly #root: JsonSchema;
  readonly #fields = new Map<string, FieldTree | undefined>();
  #items: FieldTree | undefined;

  constructor(schemas: readonly JsonSchema[], root: JsonSchema = schemas[0] ?? {}) {
    const branches = new Set<JsonSchema>();
    for (const schema of schemas) addBranches(schema, root, branches);
    this.#branches = [...branches];
    this.#root = root;
    this.level = strongest(this.#branches.map(({ sensitive }) => sensitive));
    this.acceptsScalars = this.#branches.some(isScalar);
    this.acceptsObjects = this.#branches.some(({ type, properties }) => properties || typesOf(type).includes('object'));
  }

  /** Returns the field with this name; undefined if it is not declared. */
  field(name: string): FieldTree | undefined {
    const known = this.#fields.get(name);
    if (known) return known;
    const found = this.#below(this.#branches.map((branch) => fieldSchema(branch, name)));
    // Undeclared names come from callers and are not cached, so the cache is bounded.
    if (found) this.#fields.set(name, found);
    return found;
  }

  /** The items of a list; undefined if not declared. */
  get items(): FieldTree | undefined {
    this.#items ??= this.#below(this.#branches.map(({ items }) => items));
    return this.#items;
  }

  #below(schemas: readonly (JsonSchema | undefined)[]): FieldTree | undefined {
    const found = schemas.filter((schema) => schema !== undefined);
    return found.length === 0 ? undefined : new FieldTree(found, this.#root);
  }
}

function strongest(levels: readonly (Sensitivity | undefined)[]): Sensitivity | undefined {
  if (levels.includes('secret')) return 'secret';
  return levels.includes('one-time') ? 'one-time' : undefined;
}

/** Adds a schema, the members of its unions and its references. */
function addBranches(schema: JsonSchema, root: JsonSchema, found: Set<JsonSchema>): void {
  if (found.has(schema)) return;
  found.add(schema);
  const { $ref, anyOf = [], oneOf = [], allOf = [] } = schema;
  const referred = $ref === undefined ? [] : [definitionOf($ref, root)];
  for (const branch of [...referred, ...anyOf, ...oneOf, ...allOf]) addBranches(branch, root, found);
}

/** `#` is the whole schema, `#/$defs/Name` one of its definitions. */
function definitionOf(reference: string, root: JsonSchema): JsonSchema {
  return reference === '#' ? root : (root.$defs?.[reference.replace('#/$defs/', '')] ?? {});
}

/** For a record, the schema of its values. `additionalProperties: true` declares no fields. */
function fieldSchema({ properties, additionalProperties: others }: JsonSchema, name: string): JsonSchema | undefined {
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  return typeof others === 'object' && Object.keys(others).length > 0 ? others : undefined;
}

function typesOf(type: JsonSchema['type']): readonly string[] {
  return type === undefined ? [] : [type].flat();
}

function isScalar({ type, $ref, anyOf, oneOf, allOf, properties, items }: JsonSchema): boolean {
  if (type !== undefined) return typesOf(type).some((one) => one !== 'object' && one !== 'array');
  return [$ref, anyOf, oneOf, allOf, properties, items].every((keyword) => keyword === undefined);
}

/** The texts that replace redacted values; `hidden` is for a value of unknown structure. */
export const redactionMarks = { secret: '(secret)', undeclared: '(not declared)', hidden: '(not shown)' } as const;

/** The replacements for redacted values. */
export interface RedactionStyle {
  /** Replaces the value of a sensitive field. */
  sensitive(name: string): unknown;
  /** Replaces the fields that the schema does not declare. */
  undeclared(names: readonly string[]): readonly (readonly [string, unknown])[];
  /** Replaces a value whose type does not match the schema. */
  readonly mistyped: unknown;
}

/** Returns a copy of a value without sensitive and undeclared parts. `name` is the name of its field. */
export function redact(value: unknown, tree: FieldTree, style: RedactionStyle, name = ''): unknown {
  if (tree.level !== undefined) return style.sensitive(name);
  if (Array.isArray(value)) return value.map((item) => redact(item, tree.items ?? tree, style, name));
  if (value === null) return value;
  if (typeof value !== 'object') {
    const { level, acceptsScalars } = scalarTree(tree);
    if (level !== undefined) return style.sensitive(name);
    return acceptsScalars ? value : style.mistyped;
  }
  const object = objectTree(tree);
  if (object.level !== undefined) return style.sensitive(name);
  const fields = Object.entries(value).map(([key, inner]) => ({ key, inner, declared: object.field(key) }));
  const visible = fields.flatMap(({ key, inner, declared }) =>
    declared ? [[key, redact(inner, declared, style, key)] as const] : [],
  );
  const others = fields.filter(({ declared }) => declared === undefined).map(({ key }) => key);
  return Object.fromEntries(others.length === 0 ? visible : [...visible, ...style.undeclared(others)]);
}

/** A single item is accepted in place of a list. */
function objectTree(tree: FieldTree): FieldTree {
  return tree.acceptsObjects ? tree : (tree.items ?? tree);
}

function scalarTree(tree: FieldTree): FieldTree {
  return tree.acceptsScalars ? tree : (tree.items ?? tree);
}

/** Whether redaction removes any part of a value. */
export function hasSensitiveField(value: unknown, tree: FieldTree): boolean {
  return redactedParts(value, tree).length > 0;
}

/** Returns the strings that redaction removes: those in sensitive and in undeclared fields. */
export function collectSensitiveTexts(value: unknown, tree: FieldTree): string[] {
  return redactedParts(value, tree).flatMap(textsIn);
}

function redactedParts(value: unknown, tree: FieldTree): unknown[] {
  if (tree.level !== undefined) return [value];
  if (Array.isArray(value)) return value.flatMap((item) => redactedParts(item, tree.items ?? tree));
  if (value === null) return [];
  if (typeof value !== 'object') {
    const { level, acceptsScalars } = scalarTree(tree);
    return acceptsScalars && level === undefined ? [] : [value];
  }
  const object = objectTree(tree);
  if (object.level !== undefined) return [value];
  return Object.entries(value).flatMap(([name, inner]) => {
    const declared = object.field(name);
    return declared ? redactedParts(inner, declared) : [inner];
  });
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
