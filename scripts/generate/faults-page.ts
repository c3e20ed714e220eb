/** Generates docs/reference/faults.md: what fault rules can affect, their effects, and the presets. */
import {
  faultEffectEntries,
  faultPresetNames,
  faultPresets,
  faultTargetNames,
  faultTargets,
} from '../../src/contract/testing/fault-effects.ts';
import { code, page, table } from './markdown.ts';

/** Renders the page from the tables of fault injection. */
export function faultsPage(): string {
  return page(
    'Faults',
    'A fault rule makes requests fail, to test how a program handles it: `iam.faults.add({...})` of the ' +
      '[library](../library.md#faults), `POST /_iam/faults`, `iam faults add`, or the console. Affected responses have the header ' +
      '`X-Iam-Fault` and are marked in the request log. With `--allow-remote`, test features are off by default.',
    '## Targets\n\nA rule affects one `operation`, a `target`, or else every operation. Requests to operations are affected once their credentials ' +
      'and roles are accepted: a rule can be for one `caller`. `Prefer: code=503` takes effect before.',
    table(
      ['Target', 'Requests'],
      faultTargetNames.map((name) => [code(name), requestsOf(name)]),
    ),
    '## Effects\n\nA rule has one effect, with those that add to it.',
    table(
      ['Effect', 'Option', 'Adds to', 'Description', 'Affects'],
      faultEffectEntries.map(([name, { option, description, addsTo, isAlsoAlone, only }]) => [
        code(name),
        code(option),
        addsTo === undefined ? '' : `${code(addsTo)}${isAlsoAlone ? ', or alone' : ''}`,
        `${description}.`,
        only ?? 'all',
      ]),
    ),
    '## Presets\n\nA preset is a rule with a name. Other fields of the rule add to it; an `operation` or `target` replaces its own.',
    table(
      ['Preset', 'Rule', 'Description'],
      faultPresetNames.map((name) => {
        const { rule, description } = faultPresets[name];
        return [code(name), code(JSON.stringify(rule)), `${description}.`];
      }),
    ),
  );
}

function requestsOf(name: (typeof faultTargetNames)[number]): string {
  const target = faultTargets[name];
  const items = 'paths' in target ? target.paths : target.operations;
  return `${target.description}: ${items.map(code).join(', ')}`;
}
