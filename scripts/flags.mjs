/** Parses the flags of `npm start` by the settings table, so that they match `iam serve`. */

/** An invalid flag; the message is shown to the user. */
export class FlagError extends Error {}

/**
 * Returns the flags by name (without dashes) with their text; true for a switch.
 * @throws FlagError for an unknown flag or a missing value.
 */
export function readFlags(args, settings) {
  const byName = new Map(settings.filter(({ flag }) => flag).map((setting) => [setting.name, setting]));
  const flags = {};
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name, text] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(arg) ?? [];
    const setting = byName.get(name);
    if (!setting)
      throw new FlagError(
        name === undefined
          ? `unexpected argument ${arg} (pass options after two dashes: npm start -- --port 0)`
          : `unknown option --${name}`,
      );
    flags[name] = text ?? (setting.kind === 'boolean' ? true : rest.shift());
    if (flags[name] === undefined) throw new FlagError(`--${name} needs a value`);
  }
  return flags;
}

/** Returns the switches that npm consumed: `npm start --json` instead of `npm start -- --json`. */
export function swallowedFlags(flags, settings, environment) {
  const switches = settings.filter(({ flag, kind }) => flag && kind === 'boolean').map(({ name }) => name);
  return switches.filter(
    (name) => !(name in flags) && environment[`npm_config_${name.replaceAll('-', '_')}`] === 'true',
  );
}

/** Returns the help of `npm start -- --help`. */
export function helpText(settings) {
  const rows = settings.filter(({ flag }) => flag).map((setting) => [formatUsage(setting), formatDescription(setting)]);
  const width = Math.max(...rows.map(([usage]) => usage.length));
  const lines = rows.map(([usage, text]) => `  ${usage.padEnd(width)}  ${text}`);
  return [
    'Usage: npm start -- [options]',
    '',
    'Installs and builds if needed, then serves until Ctrl-C.',
    '',
    ...lines,
    '',
  ].join('\n');
}

function formatUsage({ name, kind }) {
  return kind === 'boolean' ? `--${name}` : `--${name} ${kind === 'integer' ? 'N' : 'VALUE'}`;
}

function formatDescription({ description, values, default: fallback, kind, environment }) {
  const choices = values ? `: ${values.join(', ')}` : '';
  const defaultText = fallback === undefined || kind === 'boolean' ? '' : ` (default ${fallback})`;
  return `${description}${choices}${defaultText} [${environment}]`;
}
