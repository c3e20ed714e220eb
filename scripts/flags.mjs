/** Reads the flags of `npm start` by the table of settings, so that they are those of `iam serve`. */

/** A flag that can't be used; the message is for the person who typed it. */
export class FlagError extends Error {}

/**
 * Flags by their name without dashes, with the text that was given; true for a switch.
 * @throws FlagError for what is not in the table, or lacks its value.
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
          ? `${arg} is no option (options of npm start come after two dashes: npm start -- --port 0)`
          : `there is no option --${name}`,
      );
    flags[name] = text ?? (setting.kind === 'boolean' ? true : rest.shift());
    if (flags[name] === undefined) throw new FlagError(`--${name} needs a value`);
  }
  return flags;
}

/** Switches that npm took for itself: `npm start --json` instead of `npm start -- --json`. */
export function swallowedFlags(flags, settings, environment) {
  const switches = settings.filter(({ flag, kind }) => flag && kind === 'boolean').map(({ name }) => name);
  return switches.filter(
    (name) => !(name in flags) && environment[`npm_config_${name.replaceAll('-', '_')}`] === 'true',
  );
}

/** The help of `npm start -- --help`. */
export function helpText(settings) {
  const shown = settings
    .filter(({ flag }) => flag)
    .map((setting) => [formatUsage(setting), formatDescription(setting)]);
  const width = Math.max(...shown.map(([usage]) => usage.length));
  const lines = shown.map(([usage, words]) => `  ${usage.padEnd(width)}  ${words}`);
  return [
    'Usage: npm start -- [options]',
    '',
    'Installs and builds when needed, then serves until Ctrl-C.',
    '',
    ...lines,
    '',
  ].join('\n');
}

function formatUsage({ name, kind }) {
  return kind === 'boolean' ? `--${name}` : `--${name} ${kind === 'integer' ? 'N' : 'VALUE'}`;
}

function formatDescription({ description, values, default: fallback, kind, environment }) {
  const choice = values ? `: ${values.join(', ')}` : '';
  const standard = fallback === undefined || kind === 'boolean' ? '' : ` (default ${fallback})`;
  return `${description}${choice}${standard} [${environment}]`;
}
