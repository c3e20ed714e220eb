/** The options that select the server, repeated in the commands of hints. */

import { singleQuote } from '../../lib/shell-variables.ts';
import { stripUserInfo } from '../config/server-url.ts';

interface ServerOptions {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** Formats the options as they are typed: ` --profile staging`; empty without options. */
export function formatServerOptions({ profile, baseUrl }: ServerOptions): string {
  const options = [
    ...(profile === undefined ? [] : [`--profile ${singleQuote(profile)}`]),
    ...(baseUrl === undefined ? [] : [`--base-url ${singleQuote(stripUserInfo(baseUrl))}`]),
  ];
  return options.map((option) => ` ${option}`).join('');
}
