import type { InputPlan } from '../../model/collector.ts';

/**
 * How OneView is asked. The session's id goes into `auth` as it is; a session is opened by POST, which this program
 * never sends, so the id is handed in by file. Beside it each request wants `X-API-Version`, a number that the reader
 * takes from `GET /rest/version` (`currentVersion`; no session needed), and `Accept: application/json`.
 */
export const VERSION: NonNullable<InputPlan['version']> = { path: '/rest/version', member: 'currentVersion', header: 'X-API-Version' };

export const AUTH: NonNullable<InputPlan['auth']> = { header: 'auth', prefix: '' };
