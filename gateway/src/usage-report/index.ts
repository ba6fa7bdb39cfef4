/** What the budgets of this process have used, for whoever asks again and again: `/internal/usage` of the admin listener. */
export { createUsageReports, type UsageReports, type UsageReportsOptions, type UsageSource } from './usage-reports.ts';
