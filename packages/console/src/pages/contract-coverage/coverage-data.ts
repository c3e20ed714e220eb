/** The coverage report as the server returns it. */
import type { paths } from '#control-api';

export type CoverageData = paths['/coverage']['get']['responses'][200]['content']['application/json'];
