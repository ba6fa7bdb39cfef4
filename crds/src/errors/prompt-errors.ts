/** Errors of saved prompts: docs/behaviour/prompts.md. */
import { type ErrorRow, REQUEST } from './error-row.ts';

export const PROMPT_ERRORS = {
  PROMPT_UNKNOWN: { ...REQUEST, status: 404, wireCode: 'prompt_unknown', summary: 'Invalid prompt id.' },
  PROMPT_PARTIALS_MISSING: {
    ...REQUEST,
    status: 400,
    wireCode: 'prompt_partials_missing',
    summary: 'A partial of the prompt does not exist, or the variable that names it is missing.',
  },
  PROMPT_TEMPLATE_INVALID: {
    ...REQUEST,
    status: 400,
    wireCode: 'prompt_template_invalid',
    summary: 'The prompt cannot be rendered with these variables.',
  },
  PROMPT_MISPLACED: {
    ...REQUEST,
    status: 400,
    wireCode: 'prompt_misplaced',
    summary: 'The operation or the config does not fit the prompt.',
  },
} as const satisfies Record<string, ErrorRow>;
