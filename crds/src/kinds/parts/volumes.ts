/** Volumes that people add to the pods of a fleet, and where they may be mounted. */
import { z } from 'zod';
import { secretKey } from '../../config/index.ts';
import { atomicList, mapList, objectName, pattern, type Rule, text, withRules } from '../../schema/index.ts';
import { requiredQuantity } from './quantity.ts';

/** Volumes of the operator itself. */
export const OWN_VOLUMES = ['snapshot', 'admin', 'tls'] as const;

const SEGMENT = '\\.?[A-Za-z0-9_-][A-Za-z0-9._-]*';
/** Relative, without `..`. */
const INNER_PATH = new RegExp(`^${SEGMENT}(/${SEGMENT})*$`);
/**
 * None of these folders has anything of the gateway: what runs is in /app, what it is given in /var, and /run, /proc and /sys
 * belong to the platform.
 */
const MOUNT_PATH = new RegExp(`^/(tmp|(etc|mnt|opt|srv|tmp|usr/local/share)(/${SEGMENT})+)$`);

const innerPath = (description: string) => pattern(INNER_PATH, 'a relative path without ..', 253).meta({ description });

const items = atomicList(
  z.strictObject({
    key: secretKey('key is the entry.'),
    path: innerPath('path is the file of the entry, relative to the volume.'),
  }),
  'items are the entries that become files; absent: all, named like their keys.',
  64,
);

const optional = z.boolean().meta({ description: 'optional true starts pods also without the object.' });

const volumeFields = z.strictObject({
  name: pattern(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'a name of at most 63 letters, digits and dashes', 63).meta({
    description: 'name is the name of the volume.',
  }),
  configMap: z
    .strictObject({
      name: objectName('name is the name of the ConfigMap.'),
      items: items.optional(),
      optional: optional.optional(),
    })
    .meta({ description: 'configMap mounts a ConfigMap of the namespace.' })
    .optional(),
  secret: z
    .strictObject({
      secretName: objectName('secretName is the name of the Secret.'),
      items: items.optional(),
      optional: optional.optional(),
    })
    .meta({ description: 'secret mounts a Secret of the namespace.' })
    .optional(),
  emptyDir: z
    .strictObject({
      medium: z
        .enum(['Memory'])
        .meta({ description: 'medium Memory keeps the files in the memory of the container; absent: on the node.' })
        .optional(),
      sizeLimit: requiredQuantity('sizeLimit is how much the files may need, e.g. 64Mi.'),
    })
    .meta({ description: 'emptyDir is an empty folder that lives as long as the pod.' })
    .optional(),
});

const VOLUME_RULES: readonly Rule<z.output<typeof volumeFields>>[] = [
  {
    cel: '[has(self.configMap), has(self.secret), has(self.emptyDir)].filter(x, x).size() == 1',
    message: 'exactly one of configMap, secret and emptyDir is needed',
    holds: ({ configMap, secret, emptyDir }) =>
      [configMap, secret, emptyDir].filter((source) => source !== undefined).length === 1,
    valid: [
      { name: 'sample', configMap: { name: 'ca-bundle' } },
      { name: 'sample', secret: { secretName: 'ca-bundle', optional: true } },
      { name: 'sample', emptyDir: { sizeLimit: '64Mi' } },
    ],
    invalid: [{ name: 'sample' }, { name: 'sample', configMap: { name: 'ca' }, secret: { secretName: 'ca' } }],
  },
  {
    cel: `!(self.name in [${OWN_VOLUMES.map((name) => `'${name}'`).join(', ')}])`,
    message: `${OWN_VOLUMES.join(', ')} are volumes of the operator`,
    at: 'name',
    holds: ({ name }) => !(OWN_VOLUMES as readonly string[]).includes(name),
    valid: [{ name: 'sample', configMap: { name: 'ca-bundle' } }],
    invalid: [{ name: 'snapshot', configMap: { name: 'ca-bundle' } }],
  },
];

const volumes = mapList(withRules(volumeFields, VOLUME_RULES), ['name'], {
  description:
    'volumes are mounted by volumeMounts; only on fleets of the organisation. Files follow their ConfigMap or Secret, and pods are not replaced for that.',
  max: 8,
});

const volumeMounts = mapList(
  z.strictObject({
    name: text('name is the name of the volume.', 63),
    mountPath: pattern(
      MOUNT_PATH,
      'a path below /etc, /mnt, /opt, /srv, /tmp or /usr/local/share, without ..',
      255,
    ).meta({
      description: 'mountPath is where the volume is: below /etc, /mnt, /opt, /srv, /tmp or /usr/local/share.',
    }),
    subPath: innerPath(
      'subPath is the file or folder of the volume that is mounted; it does not follow changes. Absent: all.',
    ).optional(),
    readOnly: z
      .boolean()
      .meta({ description: 'readOnly true mounts an emptyDir read-only; other volumes always are.' })
      .optional(),
  }),
  ['mountPath'],
  { description: 'volumeMounts are where the container sees volumes.', max: 16 },
);

/** Members of the pod template. */
export const volumeMembers = { volumes: volumes.optional(), volumeMounts: volumeMounts.optional() };

interface WithVolumes {
  readonly volumes?: readonly { readonly name: string }[] | undefined;
  readonly volumeMounts?: readonly { readonly name: string }[] | undefined;
}

const CA = { name: 'ca', configMap: { name: 'ca-bundle' } };

/** Rules of the pod template. */
export const VOLUME_MOUNT_RULES: readonly Rule<WithVolumes>[] = [
  {
    cel: '!has(self.volumeMounts) || self.volumeMounts.all(m, has(self.volumes) && self.volumes.exists(v, v.name == m.name))',
    message: 'every mount needs a volume of that name in volumes',
    at: 'volumeMounts',
    holds: ({ volumes: given = [], volumeMounts: mounts = [] }) =>
      mounts.every((mount) => given.some(({ name }) => name === mount.name)),
    valid: [{}, { volumes: [CA], volumeMounts: [{ name: 'ca', mountPath: '/etc/ca' }] }],
    invalid: [
      { volumeMounts: [{ name: 'ca', mountPath: '/etc/ca' }] },
      { volumes: [CA], volumeMounts: [{ name: 'other', mountPath: '/etc/ca' }] },
    ],
  },
];
