/** A client as its page shows it. */
import type { paths } from '#control-api';

export type ShownClient = paths['/clients/{id}']['get']['responses'][200]['content']['application/json'];
