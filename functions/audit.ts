import { verifyAudit } from '../lib/audit/audit.ts';
import { listReports, readReport } from '../lib/report/publish.ts';
import { createFunction } from './function.ts';

/** So many of the newest reports are asked which heads of the log they vouch for. */
const REPORTS = 300;

const app = createFunction();

/** Walks the hash chains of the audit log and names what does not fit. */
app.get('/verify', async (c) => {
  const { store, reports } = c.get('observer');
  const vouched = [];
  for (const tick of (await listReports(reports)).slice(0, REPORTS)) {
    const report = await readReport(reports, tick);
    if (report) vouched.push({ hash: report.provenance.auditHead, by: `reports/${tick}` });
  }
  return c.json(await verifyAudit(store, vouched));
});

export default app;
