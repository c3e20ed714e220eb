/** What the server answers to the question whether a user has a role. */
import type { paths } from '#control-api';

export type RolePathAnswer =
  paths['/users/{id}/roles/{role}/path']['get']['responses'][200]['content']['application/json'];
