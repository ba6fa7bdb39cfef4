import type { SidecarProfile } from '@gatehouse/crds/kinds';

type Selector = NonNullable<SidecarProfile['spec']['selector']>;
type Labels = Readonly<Record<string, string>>;

/** Whether a label selector matches an object, as Kubernetes defines it: all requirements hold. */
export function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  const labelOf = (key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const holds = ({ key, operator, values = [] }: (typeof matchExpressions)[number]): boolean => {
    const value = labelOf(key);
    switch (operator) {
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
    }
  };
  return Object.entries(matchLabels).every(([key, value]) => labelOf(key) === value) && matchExpressions.every(holds);
}
