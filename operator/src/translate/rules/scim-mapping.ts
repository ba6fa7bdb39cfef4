import { conflicted, defineRule, type Finding, missing, verdictKey, wrongNamespace } from '../types/index.ts';

/** A mapping has no entry of its own: the management API makes WorkspaceMembers of it. docs/behaviour/people.md#scim */
export const scimMapping = defineRule({
  kind: 'ScimMapping',
  translate({ metadata, spec }, { workspace }, view) {
    if (workspace !== null) {
      const message = 'only the organisation maps groups of its directory: the object belongs into its namespace';
      return { entries: [], findings: [wrongNamespace(['metadata', 'namespace'], message)] };
    }
    const { group, workspaceRef, role } = spec;
    const named = group.id ?? group.name ?? '';
    const findings: Finding[] = [];
    if (!view.exists('Workspace', '', workspaceRef.name)) {
      const message = `the Workspace ${workspaceRef.name} does not exist`;
      const refersTo = [verdictKey('Workspace', workspaceRef.name)];
      findings.push(missing(['spec', 'workspaceRef', 'name'], message, 'serve', refersTo));
    }
    const first = view.mappingFor(named, workspaceRef.name);
    if (first !== undefined && first !== metadata.name) {
      const message = `${first} maps the same group to the same workspace and came first`;
      findings.push(conflicted(['spec', 'group'], message));
    }
    const mapped = view.mappedRole(named);
    if (mapped !== undefined && mapped !== role) {
      const message = `the group has the role ${mapped} in an older ScimMapping, and one role in all of them`;
      findings.push(conflicted(['spec', 'role'], message));
    }
    return { entries: [], findings };
  },
});
