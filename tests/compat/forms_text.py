# SPDX-License-Identifier: Apache-2.0
"""Jobs and command lines of the test "forms", and what two cells print of them without what cannot be the same: times, loads, names of users and hosts."""
import re

# $J0 is the number before the first job; {host} the host. Each line is a qsub.
JOBS = (
    "-N fin -q all.q sleep 0",
    "-N plain -q all.q sleep 3000",
    '-N a&b>c -l h_rt=1:0:0,disk=3G,gpu=1 -soft -l site=x -q low.q sleep 3000',
    "-N par -pe mpi 3 -l h_rt=5000 -q all.q,low.q@{host} -masterq all.q sleep 3000",
    "-N par2 -pe smp 2 -R y -p -100 sleep 3000",
    "-N arrlic -t 1-4:2 -q all.q -l lic=1 sleep 3000",
    "-N arr -t 1-6 -tc 2 -q all.q sleep 3000",
    "-N held -h -a 203001010000 -hold_jid {2},{4} -A acc1 -M a@b,c@d -m be -S /bin/sh -notify -r y -wd /tmp -e /tmp/e -i /dev/null"
    " -ac X=1,Y -js 5 sleep 3000 1 'two words'",
    "-N later -a 203001010000 sleep 3000",
    "-N pend -q low.q -l gpu=99,mem_free=1.5G,a=lx-amd64 -pe s* 2-8 sleep 3000",
    "-N never -l h_vmem=1G -hold_jid {2} -t 1-6 sleep 3000",
)

FORMS = """
qstat
qstat -ne
qstat -s h
qstat -s ph
qstat -s hj
qstat -s ha
qstat -s hr
qstat -s s
qstat -s z
qstat -s r -pe smp
qstat -qs d -s r
qstat -r
qstat -f
qstat -f -r -s s
qstat -f -ext -s p
qstat -f -pri -s p
qstat -f -g t -s r
qstat -f -g d -s p
qstat -f -s prsz
qstat -f -ne -s s
qstat -f -qs d -s r
qstat -f -g c
qstat -g c -ext
qstat -f -l gpu=3 -s s
qstat -f -l slots=40 -s s
qstat -f -q low.q -s r
qstat -f -q all.q@{host} -s s
qstat -f -q all.q@@allhosts -s s
qstat -F gpu,site,h_rt,lic -s s
qstat -xml
qstat -xml -s z
qstat -xml -r -s p
qstat -xml -ext -s s
qstat -xml -urg -s s
qstat -xml -g d -s s
qstat -xml -g t -s s
qstat -xml -f -s z
qstat -xml -f -r -s r
qstat -xml -f -g t -pri -s s
qstat -xml -F gpu,site,h_rt,lic -ne -s s
qstat -xml -g c
qstat -xml -g c -ext
qstat -xml -u nosuchuser
qhost
qhost -ncb
qhost -j
qhost -xml
qhost -xml -j
qhost -xml -F gpu,site
qhost -xml -ncb -l gpu=9
qhost -l gpu=9
qhost -F gpu,site
qquota
qquota -xml
qquota -xml -l gpu
qstat -j 99999,nosuch
qstat -j 'no*'
qstat -xml -j 99999,nosuch
qstat -r -xml -j par
qstat -xml -j 'a&b*,nosuch'
qstat -xml -j arr
qstat -xml -j held,later
""".split("\n")[1:-1]

RULES = (
    (r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d", "MM/DD/YYYY HH:MM:SS"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "YYYY-MM-DDTHH:MM:SS"),
    (r"\b1[789]\d{8}\b", "EPOCH"),
    (r"\b\d\.\d{5,6}\b", "FRACTION"),
    # widths depend on numbers
    (r"(?m)^( *)HOST  .*$", r"\1HOST"),
    (r"\b\d+\.\d\d +(lx-\w+)", "LOAD ARCH"),
    (r"lx-\w+", "ARCH"),
    (r"(?m)^((?:all|low)\.q) +[\d.]+ ", r"\1 LOAD "),
    (r"<(load_avg|load)>.*?<", r"<\1>LOAD<"),
    (r"(name='(?:load_avg|mem_\w+|swap_\w+|num_proc|m_\w+)'>)[\d.]+[KMG]?", r"\1VALUE"),
    (r"(<(?:JB_[ug]id|JB_wtcontr|JAT_ntix|[a-z]*_usage)>)[\d.]*", r"\1VALUE"),
    (r"<MR_host>[^<]+<", "<MR_host>HOST<"),
    (r"(?s) *<JB_env_list>.*?</JB_env_list>\n", ""),
    (r"(?s)(<scaled>\s*<UA_name>\w+</UA_name>\s*<UA_value>).*?<", r"\1VALUE<"),
    # Grid Engine reports more
    (r"(?s) *<scaled>\s*<UA_name>(?:iow|vmem|maxvmem)<.*?</scaled>\n", ""),
)


def normalized(text, user, group, host, before):
    """Replace the parts of the text that differ between cells with the same jobs."""
    def number(match):
        return match[1] + (f"J{int(match[2]) - before}" if int(match[2]) > before and int(match[2]) < 90000 else match[2])

    text = re.sub(r"(?m)^( *)(\d+)(?= \d\.\d{5} )", lambda m: "%7s" % number(["", "", m[2]]), text)
    text = re.sub(r"(job_scripts/|(?:JB_job_number|JRE_job_number|JRE_job_name|predecessor_jobs\w*|ULNG_value)>|jobid='|<job name=')(\d+)", number, text)
    text = re.sub(r"((?:Predecessor Jobs.*: |, ))(\d+)", number, text)
    text = re.sub(rf"(?m)^( *J\d+ .* ){re.escape(user[:12].ljust(12))} ", r"\1USER         ", text)
    text = re.sub(rf"(<(?:JB_owner|MR_user)>|job_owner'>|<users>|users ){re.escape(user)}\b", r"\1USER", text)
    text = re.sub(rf"<JB_group>{re.escape(group)}<", "<JB_group>USER<", text)
    text = re.sub(rf"(?m)((?:all|low)\.q@){re.escape(host)}(?: +|$)", r"\1HOST ", text)
    text = text.replace(f"all.q@{host}"[:10] + " ", "all.q@HOST ")
    text = re.sub(rf"\b{re.escape(host)}\b", "HOST", text)
    for pattern, by in RULES:
        text = re.sub(pattern, by, text)
    return text
