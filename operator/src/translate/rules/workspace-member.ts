import { conflicted, defineRule, objectKey, wrongNamespace } from '../types/index.ts';

/** A membership has no entry of its own: it decides what keys of the person may do. */
export const workspaceMember = defineRule({
  kind: 'WorkspaceMember',
  translate({ metadata, spec }, { workspace, namespace }, view) {
    if (workspace === null) {
      const message = 'the namespace of the organisation is no workspace, so that nobody is a member of it';
      return { entries: [], findings: [wrongNamespace(['metadata', 'namespace'], message)] };
    }
    const first = view.memberOf(namespace, spec.user);
    if (first === undefined || first === metadata.name) return { entries: [], findings: [] };
    const message = `${objectKey(namespace, first)} is of the same person and came first`;
    return { entries: [], findings: [conflicted(['spec', 'user'], message)] };
  },
});
