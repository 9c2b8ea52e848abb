// SPDX-License-Identifier: Apache-2.0
import java.util.Arrays;
import java.util.Collections;
import org.ggf.drmaa.*;

/** Jobs through the Java classes of Grid Engine's DRMAA: singly, in bulk, to a good and to a bad end. */
public class Drive {
    static Session session = SessionFactory.getFactory().getSession();

    static void check(boolean is, Object said) {
        if (!is)
            throw new AssertionError(String.valueOf(said));
    }

    interface Call {
        void make() throws DrmaaException;
    }

    static void refused(Class<?> due, Call call) {
        try {
            call.make();
        } catch (Exception found) {
            check(due.isInstance(found), found);
            return;
        }
        throw new AssertionError("no " + due);
    }

    static JobTemplate shell(String text) throws DrmaaException {
        JobTemplate template = session.createJobTemplate();
        template.setRemoteCommand("/bin/sh");
        template.setArgs(Arrays.asList("-c", text));
        template.setOutputPath(":/dev/null");
        template.setJoinFiles(true);
        return template;
    }

    public static void main(String[] words) throws Exception {
        refused(NoActiveSessionException.class, () -> session.createJobTemplate());
        session.init("");
        String contact = session.getContact();
        check(contact.contains("session=") && session.getDrmSystem().contains("Fairlead"), contact);
        refused(AlreadyActiveSessionException.class, () -> session.init(null));

        JobTemplate template = shell("test \"$NAME\" = \"\u00e4\u20ac\ud83d\ude00\" && exit 7");
        template.setJobEnvironment(Collections.singletonMap("NAME", "\u00e4\u20ac\ud83d\ude00"));
        check(template.getArgs().get(0).equals("-c") && template.getWorkingDirectory() == null, template.getArgs());
        check(template.getJobEnvironment().get("NAME").equals("\u00e4\u20ac\ud83d\ude00"), template.getJobEnvironment());
        check(template.getAttributeNames().contains("drmaa_v_env"), template.getAttributeNames());
        JobInfo info = session.wait(session.runJob(template), Session.TIMEOUT_WAIT_FOREVER);
        check(info.hasExited() && info.getExitStatus() == 7 && !info.wasAborted() && !info.hasSignaled(), info);
        check(info.getResourceUsage().containsKey("cpu"), info.getResourceUsage());

        info = session.wait(session.runJob(shell("kill -TERM $$")), Session.TIMEOUT_WAIT_FOREVER);
        check(info.hasSignaled() && info.getTerminatingSignal().equals("SIGTERM") && !info.hasExited() && !info.hasCoreDump(), info);

        java.util.List<?> ids = session.runBulkJobs(shell("exit $SGE_TASK_ID"), 1, 5, 2);
        session.synchronize(ids, Session.TIMEOUT_WAIT_FOREVER, false);
        for (int k = 0; k < 3; k++) {
            check(session.getJobProgramStatus((String) ids.get(k)) == Session.FAILED, ids);
            check(session.wait((String) ids.get(k), Session.TIMEOUT_NO_WAIT).getExitStatus() == 2 * k + 1, ids);
        }

        JobTemplate held = shell("true");
        held.setJobSubmissionState(JobTemplate.HOLD_STATE);
        String id = session.runJob(held);
        check(session.getJobProgramStatus(id) == Session.USER_ON_HOLD, id);
        refused(ExitTimeoutException.class, () -> session.wait(id, Session.TIMEOUT_NO_WAIT));
        session.control(id, Session.TERMINATE);
        info = session.wait(id, Session.TIMEOUT_WAIT_FOREVER);
        check(info.wasAborted() && !info.hasExited() && info.getJobId().equals(id), info);
        refused(InvalidJobException.class, () -> session.wait(id, Session.TIMEOUT_WAIT_FOREVER));
        refused(IllegalArgumentException.class, () -> session.wait("x", Session.TIMEOUT_WAIT_FOREVER));
        refused(IllegalArgumentException.class, () -> held.setRemoteCommand("a\0b"));
        refused(NullPointerException.class, () -> held.setRemoteCommand(null));

        held.setNativeSpecification("-l nosuch=1");
        refused(DeniedByDrmException.class, () -> session.runJob(held));
        session.deleteJobTemplate(held);
        refused(InvalidJobTemplateException.class, () -> session.runJob(held));
        session.exit();
        refused(NoActiveSessionException.class, () -> session.exit());
        System.out.println("Java runs jobs");
    }
}
