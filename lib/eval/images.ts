/** What nodes are provisioned with. */
export interface Image {
  name: string;
  kernel: string;
  id: number;
  modified: string;
}

export const COMPUTE: Image = {
  name: 'cos-2026.11',
  kernel: '5.14.21-150500.55.83_13.0.62-cray_shasta_c',
  id: 301,
  modified: '2026-11-18T14:20:00.000+00:00',
};
/** The one before. */
export const FORMER: Image = {
  name: 'cos-2026.08',
  kernel: '5.14.21-150500.55.52_13.0.47-cray_shasta_c',
  id: 302,
  modified: '2026-08-24T09:00:00.000+00:00',
};
export const SERVICE: Image = { ...COMPUTE, name: 'svc-2026.11', id: 303, modified: '2026-11-18T15:05:00.000+00:00' };
