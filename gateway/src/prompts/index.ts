/** Saved prompts: compiled once with their Snapshot, rendered with the variables of a call; docs/behaviour/prompts.md. */
export {
  type CompiledPartial,
  type CompiledPrompt,
  type CompiledTemplate,
  compilePartialText,
  compileTemplate,
} from './compile.ts';
export { type PartialLookup, type RenderedPrompt, renderPrompt } from './render-prompt.ts';
