/** `get` of a resource that neither an operation nor a route of the control plane returns alone. */
import type { Command } from 'commander';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { describeNames } from '../../output/name-lookups.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { withEtag } from '../../request/entity-rows.ts';
import { findVerbAliases } from '../../request/operation-names.ts';
import { formatArgumentName } from '../../request/request-spec.ts';
import { type UpdatableResource, withArticle } from './resources.ts';
import { resolveTarget } from './update.ts';
import { readCurrent } from './write.ts';

export function addResourceGet(
  parent: Command,
  operation: ManifestOperation,
  runtime: CliRuntime,
  resource: UpdatableResource,
): void {
  const command = addCommand(parent, 'get', {
    title: `Show ${withArticle(resource.label)}`,
    description: 'Masked. As YAML or JSON, it is a file that `update -f` accepts.',
    roles: operation.roles,
    effect: 'read',
    examples: [{ title: 'As YAML', command: `${exampleTarget(operation)} -o yaml` }],
  }).aliases(findVerbAliases('get'));
  addResourceArguments(command, operation);
  setAction(command, runtime, async (context, args, options) => {
    const target = await resolveTarget(context, { operation, resource, args, options });
    await context.printer.value(withEtag(context.printer, await readCurrent(context, target)));
  });
}

/** Adds the arguments of a command that names one resource. */
export function addResourceArguments(command: Command, { params }: ManifestOperation): void {
  for (const param of params) command.argument(`<${formatArgumentName(param)}>`, describeNames(param.schema) ?? '');
  const sources = params.flatMap((param) => {
    const found = param.schema['x-reference'];
    return found ? [[formatArgumentName(param), { 'x-reference': found }] as const] : [];
  });
  declareValueSources(command, Object.fromEntries(sources));
}

/** The arguments in the first example of its update. */
export function exampleTarget({ params, examples: [first] }: ManifestOperation): string {
  return (first?.command ?? '').split(' ').slice(0, params.length).join(' ');
}
