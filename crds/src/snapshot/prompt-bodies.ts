/** Entries of the prompt library. References between versions, labels and prompts are resolved. */
import { z } from 'zod';

const version = z.int().min(1);
const members = z.record(z.string(), z.unknown());

/** The content of one version, as its Kind has it. */
export const promptTemplateBody = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), name: z.string().optional(), content: z.string() })).optional(),
  text: z.string().optional(),
  raw: z.boolean().optional(),
  model: z.string().optional(),
  /** Slug of a managed provider. */
  provider: z.string().optional(),
  variables: members.optional(),
  parameters: members.optional(),
});

export const promptBody = z.looseObject({
  slug: z.string(),
  /** The version that the slug alone means. */
  published: version,
  /** Versions by label. */
  labels: z.record(z.string(), version),
  /** Version 1, where the Prompt itself has it. */
  template: promptTemplateBody.optional(),
});

export const promptVersionBody = z.looseObject({
  /** Slug of the prompt, which belongs to the same owner. */
  prompt: z.string(),
  version,
  template: promptTemplateBody,
});

export const partialBody = z.looseObject({
  slug: z.string(),
  published: version,
  /** Version 1, where the PromptPartial itself has it. */
  text: z.string().optional(),
});

export const partialVersionBody = z.looseObject({ partial: z.string(), version, text: z.string() });

export type PromptTemplateBody = z.output<typeof promptTemplateBody>;
