/** Adds the commands of the updatable resources: `update`, `edit`, and `get` where the table has it. */
import type { Command } from 'commander';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import type { CliRuntime } from '../../context.ts';
import { getUpdate, isRoute } from '../../request/find-operation.ts';
import { findVerbAliases } from '../../request/operation-names.ts';
import { findUpdatableResource, updatableResources, withArticle } from './resources.ts';

/** Adds the commands of an operation that updates a resource. */
export async function addUpdates(parent: Command, operation: ManifestOperation, runtime: CliRuntime): Promise<void> {
  const resource = findUpdatableResource(operation);
  if (!resource) return;
  if (runtime.isRequested(['update'])) {
    const { addUpdateCommand } = await import('./update.ts');
    addUpdateCommand(parent, operation, runtime, resource);
  } else parent.command('update').summary(operation.title);
  if (runtime.isRequested(['edit'])) {
    const { addEditCommand } = await import('./edit.ts');
    addEditCommand(parent, operation, runtime, resource);
  } else parent.command('edit').summary(`Edit ${withArticle(resource.label)} in an editor`);
  if (!resource.ownGet) return;
  if (runtime.isRequested(['get', ...findVerbAliases('get')])) {
    const { addResourceGet } = await import('./get.ts');
    addResourceGet(parent, operation, runtime, resource);
  } else
    parent
      .command('get')
      .summary(`Show ${withArticle(resource.label)}`)
      .aliases(findVerbAliases('get'));
}

/** Adds the commands of the routes of the control plane that update resources of the noun. */
export async function addRouteUpdates(noun: Command, runtime: CliRuntime): Promise<void> {
  for (const { write } of updatableResources) {
    const operation = isRoute({ id: write }) ? getUpdate(runtime.manifest, write) : undefined;
    if (operation?.command === `${noun.name()} update`) await addUpdates(noun, operation, runtime);
  }
}
