/** npm takes options before two dashes for its own: `npm start --json` does not reach the server. */

/** Returns the switches that npm consumed: `--json` in `npm start --json`. */
export function findConsumedFlags(args, settings, environment) {
  const switches = settings.filter(({ flag, kind }) => flag && kind === 'boolean').map(({ name }) => name);
  return switches.filter(
    (name) => !args.includes(`--${name}`) && environment[`npm_config_${name.replaceAll('-', '_')}`] === 'true',
  );
}
