/** The look of the page: legible from across a room, by day and by night, on paper and on a phone. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#f6f7f8;--card:#fff;--fg:#16191d;--dim:#596069;--line:#dde1e5;--critical:#b3261e;--warning:#8f5600;--info:#1f6391;--ok:#1b6e2c;--blind:#6d2296;--degraded:#8f5600;--on:#fff}
@media (prefers-color-scheme:dark){:root{--bg:#101215;--card:#191c20;--fg:#e8eaec;--dim:#a2a9b1;--line:#2c3137;--critical:#ff8a80;--warning:#ffc266;--info:#8ecbf5;--ok:#86d993;--blind:#dba6f0;--degraded:#ffc266;--on:#101215}}
*{box-sizing:border-box}
body{margin:0;padding:0 1.5rem 2rem;background:var(--bg);color:var(--fg);font:16px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
body>*{max-width:86rem;margin-left:auto;margin-right:auto}
header{margin:1.2rem auto .8rem;padding:1rem 1.2rem;border-radius:.5rem;background:var(--card);border-left:.7rem solid var(--line)}
header.critical{border-color:var(--critical)}header.degraded{border-color:var(--degraded)}header.ok{border-color:var(--ok)}header.blind{border-color:var(--blind)}
h1{margin:0;font-size:clamp(1.25rem,2.4vw,2.1rem);line-height:1.25;overflow-wrap:anywhere}
.critical h1{color:var(--critical)}.degraded h1{color:var(--degraded)}.ok h1{color:var(--ok)}.blind h1{color:var(--blind)}
header p{margin:.35rem 0 0;color:var(--dim);overflow-wrap:anywhere}header p.warning{color:var(--critical);font-weight:700}
.tallies{display:flex;flex-wrap:wrap;gap:.6rem}
.tallies div{flex:1 1 6rem;padding:.5rem .8rem;border-radius:.5rem;background:var(--card);color:var(--fg)}
.tallies b{display:block;font-size:1.9rem;line-height:1.1;font-variant-numeric:tabular-nums}.tallies span{font-size:.85rem;color:var(--dim)}
.tallies .none b{color:var(--dim);font-weight:400}.tallies .critical b{color:var(--critical)}.tallies .warning b{color:var(--warning)}.tallies .info b{color:var(--info)}
section{margin-top:1.3rem}h2{margin:0 0 .5rem;font-size:.95rem;letter-spacing:.05em;text-transform:uppercase;color:var(--dim)}
ul{list-style:none;margin:0;padding:0}
li{margin:.45rem 0;padding:.55rem .9rem;border-radius:.4rem;background:var(--card);border-left:.3rem solid var(--line);overflow-wrap:anywhere}
li.critical{border-color:var(--critical)}li.warning{border-color:var(--warning)}li.info{border-color:var(--info)}li.over{border-color:var(--ok)}
p{margin:.15rem 0}.title{font-weight:650}.plain .title{font-weight:400}.critical .title{color:var(--critical)}
.badge{display:inline-block;min-width:4.6em;padding:0 .5em;border-radius:.25em;font-size:.72rem;line-height:1.6;text-align:center;text-transform:uppercase;color:var(--on);background:var(--dim)}
.critical .badge{background:var(--critical)}.warning .badge{background:var(--warning)}.info .badge{background:var(--info)}.over .badge{background:var(--ok)}
code{font:.92em ui-monospace,"DejaVu Sans Mono",Menlo,monospace}
.facts{color:var(--dim);font-size:.88rem}.facts+.facts::before{content:"· "}
.detail,.hint{color:var(--dim);font-size:.92rem;padding-left:1em;text-indent:-1em}.hint{font-style:italic}.hint::before{content:"→ "}
details>summary{cursor:pointer;color:var(--dim);font-size:.9rem}summary h2{display:inline-block;margin:0}details.set{display:inline-block;max-width:100%;vertical-align:top}
.scroll{overflow-x:auto;background:var(--card);border-radius:.4rem}
table{border-collapse:collapse;width:100%;font-size:.88rem}th,td{padding:.35rem .7rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
td{font-variant-numeric:tabular-nums}td:last-child{min-width:14rem;overflow-wrap:anywhere}th{color:var(--dim);font-weight:600;white-space:nowrap}
footer{margin-top:1.3rem;color:var(--dim);font-size:.82rem;overflow-wrap:anywhere}
@media print{body{background:none}li,header,.tallies div{border:1px solid var(--line)}}
`;
