import { defineTranslator } from '../types/index.ts';
import { configRefFindings } from './shared/index.ts';

/** Sidecars get the entries of their workspace; a profile adds none, and is told what it names in vain. */
export const sidecarProfile = defineTranslator({
  kind: 'SidecarProfile',
  make: ({ spec }, place, view) => ({
    drafts: [],
    findings: configRefFindings(view, spec.defaults?.configRef?.name, place),
  }),
});
