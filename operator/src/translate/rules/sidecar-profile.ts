import { defineRule } from '../types/index.ts';
import { configRefFindings } from './shared/index.ts';

/** Sidecars get the entries of their workspace; a profile adds none, and is told what it names in vain. */
export const sidecarProfile = defineRule({
  kind: 'SidecarProfile',
  translate: ({ spec }, scope, view) => ({
    entries: [],
    findings: configRefFindings(view, spec.defaults?.configRef?.name, scope),
  }),
});
