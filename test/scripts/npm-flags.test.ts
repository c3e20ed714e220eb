import { expect, test } from 'vitest';
import { manifest } from '../../src/contract/manifest.ts';
import { loadScript } from './load-script.ts';

const { findConsumedFlags } = await loadScript<{
  findConsumedFlags(args: readonly string[], settings: typeof manifest.settings, environment: object): string[];
}>('npm-flags.mjs');

test('detects the switches that npm consumed', () => {
  const environment = { npm_config_json: 'true', npm_config_soft_errors: 'true', npm_config_port: '9000' };
  expect(findConsumedFlags([], manifest.settings, environment)).toEqual(['json', 'soft-errors']);
  expect(findConsumedFlags(['--json'], manifest.settings, { npm_config_json: 'true' })).toEqual([]);
});
