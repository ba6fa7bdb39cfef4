/** Prompts: how versions are named, and what their templates say. */

export {
  type PromptSource,
  type PromptText,
  readPartialText,
  readPromptText,
  type TextProblem,
  templateIssues,
  templatesOf,
} from './prompt-text.ts';
export {
  BUILT_IN_LABELS,
  isLabelName,
  MAX_PROMPT_VERSION,
  type PromptReference,
  parsePartialReference,
  parsePromptReference,
  parseVersionChoice,
  type VersionChoice,
  versionName,
} from './reference.ts';
export { MAX_TEMPLATE, parseTemplate, type Template, type TemplateNode } from './template.ts';
