/** Completes names of the entity that a value refers to. */
import type { Command } from 'commander';
import type { Reference } from '../../contract/entities.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import { rowsOf } from '../prompts/value-sources.ts';
import type { Candidate } from './candidate.ts';
import type { Position } from './position.ts';
import { listPropertyCandidates } from './rows.ts';
import type { ListReader } from './server-lists.ts';
import type { Slot } from './slot.ts';

export interface ServerValueRequest {
  readonly slot: Slot;
  readonly position: Position;
  readonly program: Command;
  readonly manifest: Manifest;
  readonly lists: ListReader;
}

/** Returns candidates for a value; empty if it refers to no entity. */
export async function findServerValues(request: ServerValueRequest): Promise<readonly Candidate[]> {
  const references = request.slot.sources.filter((source) => typeof source !== 'string');
  const found = await Promise.all(references.map((reference) => valuesOf(reference, request)));
  return found.flat();
}

async function valuesOf(
  reference: Reference,
  { slot, position, manifest, lists }: ServerValueRequest,
): Promise<readonly Candidate[]> {
  const { source, parameters, property, entity, toValue } = rowsOf(reference, manifest);
  const params = position.args.slice(0, Math.min(parameters, slot.at ?? parameters));
  if (params.length < parameters) return [];
  const { describedBy } = entity;
  const rows = await lists({ source, params, keep: [...new Set([property, ...describedBy])] });
  return rows
    .flatMap((row) => listPropertyCandidates(row, property, describedBy))
    .map((candidate) => ({ ...candidate, value: toValue(candidate.value) }));
}
