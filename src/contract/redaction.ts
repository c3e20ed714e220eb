/** Redacts values by what their JSON Schema declares. Pure, and without zod: server and command line share it. */
import type { JsonSchema } from './manifest-types.ts';
import type { Sensitivity } from './sensitive.ts';

/**
 * What a JSON Schema declares about the parts of a value; the branches of a union count together. It is compiled as far
 * as values are walked, so a recursive schema needs no special case.
 */
export class FieldTree {
  /** Undefined where the value may be shown. */
  readonly level: Sensitivity | undefined;
  /** Whether text, a number or a boolean may stand here. */
  readonly takesScalars: boolean;
  readonly takesObjects: boolean;
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
    this.takesScalars = this.#branches.some(isScalar);
    this.takesObjects = this.#branches.some(({ type, properties }) => properties || typesOf(type).includes('object'));
  }

  /** The field of this name; undefined where none is declared. */
  field(name: string): FieldTree | undefined {
    const known = this.#fields.get(name);
    if (known) return known;
    const found = this.#below(this.#branches.map((branch) => fieldSchema(branch, name)));
    // Names that nothing declares come from callers, and are not kept.
    if (found) this.#fields.set(name, found);
    return found;
  }

  /** The entries of a list; undefined where none is declared. */
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

/** A schema, the members of its unions and what it refers to. */
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

/** Of a record the schema of its values. An object that merely allows further fields declares none of them. */
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

/** What a redacted value shows in place of what it hides. */
export interface RedactionStyle {
  /** In place of the value of a sensitive field. */
  sensitive(name: string): unknown;
  /** In place of the fields that the schema does not declare. */
  undeclared(names: readonly string[]): readonly (readonly [string, unknown])[];
  /** In place of a value of another type than the schema declares. */
  readonly mistyped: unknown;
}

/** A copy of a value without what is sensitive or not declared. `name` is that of the field that holds it. */
export function redact(value: unknown, tree: FieldTree, style: RedactionStyle, name = ''): unknown {
  if (tree.level !== undefined) return style.sensitive(name);
  if (Array.isArray(value)) return value.map((item) => redact(item, tree.items ?? tree, style, name));
  if (typeof value !== 'object' || value === null) return value === null || tree.takesScalars ? value : style.mistyped;
  const object = objectTree(tree);
  if (object.level !== undefined) return style.sensitive(name);
  const fields = Object.entries(value).map(([key, inner]) => ({ key, inner, declared: object.field(key) }));
  const shown = fields.flatMap(({ key, inner, declared }) =>
    declared ? [[key, redact(inner, declared, style, key)] as const] : [],
  );
  const others = fields.filter(({ declared }) => declared === undefined).map(({ key }) => key);
  return Object.fromEntries(others.length === 0 ? shown : [...shown, ...style.undeclared(others)]);
}

/** One entry may stand in place of a list of one. */
function objectTree(tree: FieldTree): FieldTree {
  return tree.takesObjects ? tree : (tree.items ?? tree);
}

/** Whether redaction hides any part of a value. */
export function hasSensitiveField(value: unknown, tree: FieldTree): boolean {
  return hiddenParts(value, tree).length > 0;
}

/** The texts that redaction hides: of sensitive fields, and wherever nothing is declared. */
export function collectSensitiveTexts(value: unknown, tree: FieldTree): string[] {
  return hiddenParts(value, tree).flatMap(textsIn);
}

function hiddenParts(value: unknown, tree: FieldTree): unknown[] {
  if (tree.level !== undefined) return [value];
  if (Array.isArray(value)) return value.flatMap((item) => hiddenParts(item, tree.items ?? tree));
  if (typeof value !== 'object' || value === null) return value === null || tree.takesScalars ? [] : [value];
  const object = objectTree(tree);
  if (object.level !== undefined) return [value];
  return Object.entries(value).flatMap(([name, inner]) => {
    const declared = object.field(name);
    return declared ? hiddenParts(inner, declared) : [inner];
  });
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
