/** The totals of budgets in the data folder, so that they survive the process. */
export { type BudgetFileOptions, openBudgetFile } from './budget-file.ts';
