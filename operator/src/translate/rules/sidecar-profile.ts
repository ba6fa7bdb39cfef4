import { defineRule } from '../types/index.ts';
import { configRefFindings } from './shared/index.ts';

/** Sidecars get the entries of their workspace; a profile adds none, but reports references that do not resolve. */
export const sidecarProfile = defineRule({
  kind: 'SidecarProfile',
  translate: ({ spec }, scope, view) => ({
    entries: [],
    findings: configRefFindings(view, spec.defaults?.configRef?.name, scope),
  }),
});
