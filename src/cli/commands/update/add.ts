/** Adds the commands of the updatable resources: `update`, `edit`, and `get` where the table has it. */
import type { Command } from 'commander';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import type { CliRuntime } from '../../context.ts';
import { getUpdate, isRoute } from '../../request/find-operation.ts';
import { findVerbAliases } from '../../request/operation-names.ts';
import { addEditCommand } from './edit.ts';
import { addResourceGet } from './get.ts';
import { findUpdatableResource, updatableResources, withArticle } from './resources.ts';
import { addUpdateCommand } from './update.ts';

type IsRequested = (names: readonly string[]) => boolean;

/** Adds the commands of an operation that updates a resource. */
export function addUpdates(
  parent: Command,
  operation: ManifestOperation,
  runtime: CliRuntime,
  isRequested: IsRequested,
): void {
  const resource = findUpdatableResource(operation);
  if (!resource) return;
  if (isRequested(['update'])) addUpdateCommand(parent, operation, runtime, resource);
  else parent.command('update').summary(operation.title);
  if (isRequested(['edit'])) addEditCommand(parent, operation, runtime, resource);
  else parent.command('edit').summary(`Edit ${withArticle(resource.label)} in an editor`);
  if (!resource.ownGet) return;
  if (isRequested(['get', ...findVerbAliases('get')])) addResourceGet(parent, operation, runtime, resource);
  else
    parent
      .command('get')
      .summary(`Show ${withArticle(resource.label)}`)
      .aliases(findVerbAliases('get'));
}

/** Adds the commands of the routes of the control plane that update resources of the noun. */
export function addRouteUpdates(noun: Command, runtime: CliRuntime, isRequested: IsRequested): void {
  for (const { write } of updatableResources) {
    const operation = isRoute({ id: write }) ? getUpdate(runtime.manifest, write) : undefined;
    if (operation?.command === `${noun.name()} update`) addUpdates(noun, operation, runtime, isRequested);
  }
}
