/** Completes names of the entity that a value refers to. */
import type { Command } from 'commander';
import { type EntityName, entityOf, type Reference } from '../../contract/entities.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import { namedByProperty } from '../output/name-columns.ts';
import { lookups } from '../output/name-lookups.ts';
import { toTypedName } from '../output/value-prefix.ts';
import { rowsOf, sourcesOf } from '../prompts/value-sources.ts';
import type { Candidate } from './candidate.ts';
import type { Position } from './position.ts';
import { listPropertyCandidates, typedName } from './rows.ts';
import type { ListReader } from './server-lists.ts';
import type { Slot } from './slot.ts';

export interface ServerValueRequest {
  readonly slot: Slot;
  readonly position: Position;
  readonly program: Command;
  readonly manifest: Manifest;
  readonly lists: ListReader;
  /** The typed part of the value. */
  readonly typed: string;
}

/** Returns candidates for a value; empty if it refers to no entity. */
export async function findServerValues(request: ServerValueRequest): Promise<readonly Candidate[]> {
  const references = request.slot.sources.filter((source) => typeof source !== 'string');
  const found = await Promise.all(references.map((reference) => valuesOf(reference, request)));
  return found.flat();
}

async function valuesOf(reference: Reference, request: ServerValueRequest): Promise<readonly Candidate[]> {
  const { slot, position, manifest, lists } = request;
  const { source, parameters, property, entity, toValue } = rowsOf(reference, manifest);
  const typedParams = position.args.slice(0, Math.min(parameters, slot.at ?? parameters));
  if (typedParams.length < parameters) return [];
  const params = await Promise.all(typedParams.map((typed, at) => resolveParam(request, typed, at)));
  const { describedBy } = entity;
  const rows = await lists({
    source,
    params,
    entity: reference.entity,
    keep: [...new Set([property, ...describedBy])],
    search: typedPart(request),
  });
  const [described = ''] = describedBy;
  const other = namedByProperty.get(described);
  const describing = other && other !== reference.entity ? await readNames(request, other, '') : undefined;
  const candidates = rows
    .flatMap((row) => listPropertyCandidates(row, property, describedBy))
    .map(({ value, text = '' }) => ({ value, text: describing?.get(text)?.name ?? text }));
  const names =
    reference.by[0] === 'id' && lookups[reference.entity]
      ? await readNames(request, reference.entity, typedPart(request))
      : undefined;
  if (!names) return candidates.map((candidate) => ({ ...candidate, value: toValue(candidate.value) }));
  return candidates
    .filter(({ value }) => !isUsed(slot, value, names.get(value)?.name))
    .flatMap(({ value, text }) => toNamed(request, { value: toValue(value), text }, names.get(value)?.typed));
}

/** The name, described by the id; the id where there is no name, or where it is typed. */
function toNamed(request: ServerValueRequest, byId: Candidate, name: string | undefined): readonly Candidate[] {
  const part = typedPart(request);
  const isTyped = part !== '' && byId.value.startsWith(part);
  return [
    ...(name === undefined ? [] : [{ value: name, text: byId.value }]),
    ...(name === undefined || isTyped ? [byId] : []),
  ];
}

/** What is typed of the value, or of the last one in a list with commas. */
function typedPart({ slot, typed }: ServerValueRequest): string {
  return slot.commas ? typed.slice(typed.lastIndexOf(',') + 1) : typed;
}

function isUsed({ usedValues }: Slot, id: string, name: string | undefined): boolean {
  return usedValues.some((used) => used === id || used === name);
}

interface TypedName {
  readonly name: string;
  /** The value that a command accepts; undefined if it can mean another entity. */
  readonly typed: string | undefined;
}

/** The names of the entities of a type, by id. */
async function readNames(
  { lists }: ServerValueRequest,
  name: EntityName,
  search: string,
): Promise<ReadonlyMap<string, TypedName>> {
  const { list, properties, describedBy } = entityOf(name);
  const id = properties.id ?? '';
  const rows = await lists({
    source: list,
    params: [],
    entity: name,
    keep: [...new Set([id, ...describedBy])],
    search,
  });
  const named = rows.flatMap((row) => {
    const [own] = (row[id] ?? []) as readonly string[];
    return own === undefined || row[typedName] === undefined ? [] : [[own, String(row[typedName])] as const];
  });
  const counts = new Map<string, number>();
  for (const text of named.flatMap((texts) => [...new Set(texts)])) counts.set(text, (counts.get(text) ?? 0) + 1);
  return new Map(
    named.map(([key, text]) => [
      key,
      { name: text, typed: counts.get(text) === 1 ? toTypedName(name, text) : undefined },
    ]),
  );
}

/** The id of an entity that a preceding argument names: lists of the server have ids in their path. */
async function resolveParam(request: ServerValueRequest, typed: string, at: number): Promise<string> {
  const { command } = request.position;
  const argument = command.registeredArguments[at];
  const [source] = argument === undefined ? [] : sourcesOf(command, argument.name());
  if (source === undefined || typeof source === 'string' || source.by[0] !== 'id') return typed;
  const names = await readNames(request, source.entity, typed);
  const found = [...names].find(([id, { typed: name }]) => id === typed || name === typed);
  return found?.[0] ?? typed;
}
