/** The verdict about a write of our Kinds: of the webhook, of management, and of a folder of files. */

export { deprecationsOf } from './deprecated.ts';
export type { TranslatedWorld } from './dry-run.ts';
export { type ControllerChecks, type ReviewView, reviewWrite } from './review.ts';
export {
  type Cause,
  PERMITTED_ONLY,
  type Refusal,
  type ReviewedWrite,
  type ReviewVerdict,
  usersIn,
} from './verdict.ts';
