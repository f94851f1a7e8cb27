/** Containers of a storage server. */
export const CONTAINERS_OF_SERVER = ['drives0', 'compute0', 'frontend0'] as const;

/** Drives of a storage server. */
export const DRIVES = 4;

export function driveCount(servers: number): number {
  return servers * DRIVES;
}

/** The name that Weka gives a drive. */
export function driveName(index: number): string {
  return `DiskId<${index}>`;
}

interface FileSystem {
  name: string;
  /** Its size for each storage server that there is, bytes. */
  bytes: number;
  /** How much of it is used. */
  share: number;
}

export const FILE_SYSTEMS: readonly FileSystem[] = [
  { name: '.config_fs', bytes: 0, share: 0 },
  { name: 'home', bytes: 2.5e12, share: 0.56 },
  { name: 'scratch', bytes: 10e12, share: 0.7 },
  { name: 'projects', bytes: 3e12, share: 0.67 },
  { name: 'apps', bytes: 0.5e12, share: 0.4 },
];
