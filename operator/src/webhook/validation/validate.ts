import {
  type ControllerChecks,
  type ReviewedWrite,
  type ReviewVerdict,
  type ReviewView,
  reviewWrite,
} from '../../review/index.ts';
import { controllerFindings, controllerIssues } from './controllers.ts';

export type ValidationView = Omit<ReviewView, 'controllers'>;

const CONTROLLERS: ControllerChecks = { issues: controllerIssues, findings: controllerFindings };

/** Refuses a write with all of its problems and their paths, or allows it, with warnings for what is not ready yet. */
export const reviewResource = (write: ReviewedWrite, view: ValidationView): ReviewVerdict =>
  reviewWrite(write, {
    translatedWorld: () => view.translatedWorld(),
    isTerminating: (namespace) => view.isTerminating(namespace),
    now: () => view.now?.() ?? Date.now(),
    controllers: CONTROLLERS,
  });
