import { describe, expect, test } from 'vitest';
import { manifest } from '../../src/contract/manifest.ts';
import { loadScript } from './load-script.ts';

const { readFlags, swallowedFlags, helpText } = await loadScript<{
  readFlags(args: readonly string[], settings: typeof manifest.settings): Record<string, string | boolean>;
  swallowedFlags(flags: object, settings: typeof manifest.settings, environment: object): string[];
  helpText(settings: typeof manifest.settings): string;
}>('flags.mjs');

describe('the flags of npm start', () => {
  test('are parsed by the settings table, as --name value and --name=value', () => {
    const flags = readFlags(['--port', '0', '--seed=a=b.yaml', '--json', '--store', 'memory'], manifest.settings);
    expect(flags).toEqual({ port: '0', seed: 'a=b.yaml', json: true, store: 'memory' });
  });

  test('a switch accepts a value after = only', () => {
    expect(readFlags(['--json', '--reset-admin'], manifest.settings)).toEqual({ json: true, 'reset-admin': true });
    expect(readFlags(['--json=false'], manifest.settings)).toEqual({ json: 'false' });
  });

  test.each([
    [['--nope'], 'unknown option --nope'],
    [['--port'], '--port needs a value'],
    [['9000'], 'unexpected argument 9000'],
    [['--'], 'unexpected argument --'],
    [['--admin-password', 'x'], 'unknown option --admin-password'],
    [['--constructor'], 'unknown option --constructor'],
  ])('%j is rejected with a reason', (args, reason) => {
    expect(() => readFlags(args, manifest.settings)).toThrow(reason);
  });

  test('detects a switch that npm consumed', () => {
    const environment = { npm_config_json: 'true', npm_config_soft_errors: 'true', npm_config_port: '9000' };
    expect(swallowedFlags({}, manifest.settings, environment)).toEqual(['json', 'soft-errors']);
    expect(swallowedFlags({ json: true }, manifest.settings, { npm_config_json: 'true' })).toEqual([]);
  });

  test('the help lists all flags and no secret settings', () => {
    const help = helpText(manifest.settings);
    for (const { name, flag } of manifest.settings) expect(help.includes(`--${name}`)).toBe(flag);
  });
});
