/** What the groups of budget policies have used. docs/behaviour/management.md#groups-of-a-policy */
export { type GroupCounter, type PolicyPlace, type PolicyUsage, toGroupCounters } from './policy-usage.ts';
