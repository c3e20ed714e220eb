/** Standbys of the primary, as its user may see them. */

/** Connected standbys that are synchronous now; null if the user may not see their state. */
export const countSynchronousStandbys = `(select case when bool_or(sync_state is null) then null
    else count(*) filter (where sync_state in ('sync', 'quorum')) end from pg_stat_replication)::text`;
