/** A session as the list shows it. */
import type { paths } from '#control-api';

export type ListedSession = paths['/sessions']['get']['responses'][200]['content']['application/json'][number];
